"""What tests and bench ask of a chapter that runs in the page."""

STARTED = """['idle', 'busy'].includes(window.jupyterapp?.shell.currentWidget
  ?.sessionContext?.session?.kernel?.status)"""
# Runs all cells, some with other sources: cell's name → source.
RUN_ALL = """async sources => {
  const book = jupyterapp.shell.currentWidget;
  for (const cell of book.content.model.cells)
    if (cell.id in sources) cell.sharedModel.setSource(sources[cell.id]);
  await jupyterapp.commands.execute('notebook:run-all-cells');
}"""
DONE = """(() => {
  const book = jupyterapp.shell.currentWidget;
  return book.sessionContext.session.kernel.status === 'idle'
    && [...book.content.model.cells].every(cell => cell.type !== 'code'
      || cell.executionState === 'idle' && cell.executionCount);
})()"""
OUTPUTS = """[...jupyterapp.shell.currentWidget.content.model.cells]
  .map(cell => [cell.id, cell.outputs?.toJSON() ?? []])"""
# What a line of Python prints.
PRINTED = """async code => {
  const { session } = jupyterapp.shell.currentWidget.sessionContext;
  const asked = session.kernel.requestExecute({ code });
  let text = '';
  asked.onIOPub = ({ content }) => { text += content.text ?? content.evalue ?? ''; };
  await asked.done;
  return text;
}"""


def address(host, name):
    """Where a chapter runs; `host` is the book's address, with its last slash."""
    return f"{host}run/notebooks/index.html?path={name}"


def complaints(outputs):
    """The errors among the outputs of cells, and what went to stderr."""
    found = [output for _, shown in outputs for output in shown]
    return [
        output
        for output in found
        if output["output_type"] == "error" or output.get("name") == "stderr"
    ]
