"""A web server on this machine that serves a folder as GitHub Pages does."""

import gzip
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, words in gzip as GitHub Pages does, and prints nothing."""

    def send_head(self):
        path = Path(self.translate_path(self.path))
        wanted = "gzip" in self.headers.get("Accept-Encoding", "") and path.is_file()
        if not wanted or path.suffix not in (".html", ".css", ".js"):
            return super().send_head()
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", len(body))
        self.end_headers()
        return BytesIO(body)

    def copyfile(self, source, outputfile):
        with suppress(ConnectionError):  # a page was left before it had come
            super().copyfile(source, outputfile)

    def log_message(self, *words):
        pass


@contextmanager
def hosted(folder, handler=Quiet):
    """The address of a folder, while it is served."""
    serve = partial(handler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
