"""What a class needs, from the rows that hub/load.py has measured."""

from pathlib import Path

PAGE = Path(__file__).resolve().parent / "README.md"
BEGIN, END = "<!-- load -->", "<!-- /load -->"


def percentile(values, share):
    """The value that a share of all values does not exceed."""
    if not values:
        return float("nan")
    return sorted(values)[max(0, -int(-share * len(values) // 1) - 1)]


def table(heads, rows):
    """A table in Markdown."""
    lines = [heads, ["---:"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def of_students(row, phase, what):
    """What the servers and kernels of a phase took, divided by the students there."""
    found = row[phase][what]
    return (found["server"] + found["kernel"]) / max(row[phase]["students"], 1)


def cpu_of_start(row):
    """Seconds of CPU for the start of a student, with the hub's part."""
    phase = row["start"]
    return sum(phase["cpu"].values()) / max(phase["students"], 1)


def each_kernel(row):
    """MiB of a kernel, after the sliders."""
    phase = row["sliders"]
    return phase["memory"]["kernel"] / max(phase["students"], 1)


def per_move(row, *kinds):
    """Seconds of CPU for each move of a slider."""
    phase = row["sliders"]
    return sum(phase["cpu"][kind] for kind in kinds) / max(phase["moves"], 1)


def pair(values, unit=1, digits=0):
    """The median and the 95th percentile, or a dash."""
    if not values:
        return "–"
    both = [percentile(values, share) / unit for share in (0.5, 0.95)]
    return " / ".join(f"{value:.{digits}f}" for value in both)


def measured(rows):
    """The tables of what was measured."""
    answers = table(
        [
            "students",
            "server ready, s (p50 / p95)",
            "first answer, s (p50 / p95)",
            "the last one, s",
            "chapter 4, s",
            "moves a minute",
            "slider to picture, ms (p50 / p95)",
            "release to last picture, ms (p50 / p95)",
            "cores busy",
            "failures",
        ],
        [
            [
                row["students"],
                pair(row["start"]["ready"]),
                pair(row["start"]["first"]),
                f"{max(row['start']['first'], default=float('nan')):.0f}",
                f"{row['chapter']['seconds']:.0f}",
                f"{60 * row['sliders']['moves'] / row['sliders']['seconds']:.0f}",
                pair(row["sliders"]["delays"], 1e-3),
                pair(row["sliders"]["drags"], 1e-3),
                f"{row['sliders']['busy']:.0%}",
                len(row["failures"]),
            ]
            for row in rows
        ],
    )
    needs = table(
        [
            "students",
            "memory a student, MiB: started",
            "chapter 4 run",
            "peak",
            "of it the kernel",
            "hub and proxy, MiB",
            "CPU a student, s: start",
            "chapter 4",
            "CPU a move, ms",
            "of it hub and proxy",
        ],
        [
            [
                row["students"],
                f"{of_students(row, 'start', 'memory'):.0f}",
                f"{of_students(row, 'chapter', 'memory'):.0f}",
                f"{row['peak']:.0f}",
                f"{each_kernel(row):.0f}",
                f"{row['sliders']['memory']['hub']:.0f}",
                f"{cpu_of_start(row):.1f}",
                f"{of_students(row, 'chapter', 'cpu'):.1f}",
                f"{1000 * per_move(row, 'server', 'kernel', 'hub'):.0f}",
                f"{1000 * per_move(row, 'hub'):.0f}",
            ]
            for row in rows
        ],
    )
    return f"{answers}\n\n{needs}"


# What the second table assumes of a class.
KERNELS = 2  # chapters that a student has open at once
MOVES = 6  # moves of a slider in a minute, each student
CHAPTERS = 2  # chapters that each student runs in an hour
ARRIVE = 5  # minutes in which all come in
BUSY = 0.6  # the share of the cores that may be busy: the rest is for bursts
SPARE = 1.25  # times the memory that was measured
SYSTEM = 1024  # MiB for the system
COPIES = 4  # times the disk of a new home
CASES = [(30, 30), (100, 100), (1000, 300), (1000, 1000)]  # in the class, at once


def extrapolated(rows, installed):
    """The table of what larger classes need, from the largest class measured."""
    row = rows[-1]
    count = row["students"]
    each = row["peak"] + (KERNELS - 1) * each_kernel(row)
    hub = row["sliders"]["memory"]["hub"]
    start = cpu_of_start(row)
    chapter = of_students(row, "chapter", "cpu")
    move = per_move(row, "server", "kernel", "hub")
    lines = []
    for students, at_once in CASES:
        memory = SYSTEM + hub * max(1, at_once / count) + SPARE * each * at_once
        arriving = at_once * start / (60 * ARRIVE) / BUSY
        working = at_once * (MOVES * move / 60 + CHAPTERS * chapter / 3600) / BUSY
        disk = installed + COPIES * row["home"] * students
        lines.append(
            [
                students,
                at_once,
                f"{memory / 1024:.0f}",
                f"{max(working, 1):.0f}",
                f"{max(arriving, 1):.0f}",
                f"{disk / 1024:.0f}",
            ]
        )
    text = table(
        [
            "students",
            "of them at once",
            "memory, GiB",
            "cores, while they work",
            "cores, while they come in",
            "disk, GiB",
        ],
        lines,
    )
    return (
        f"{text}\n\nExtrapolated from {count} students on one machine, not measured."
        f" Assumed: each has {KERNELS} chapters open, moves a slider {MOVES} times a"
        f" minute and runs {CHAPTERS} chapters in an hour; all come in within"
        f" {ARRIVE} minutes; at most {BUSY:.0%} of the cores are busy; a quarter of the"
        f" memory is spare, and {SYSTEM / 1024:.0f} GiB is the system's; a home grows"
        f" to {COPIES} times its first size ({row['home']:.0f} MiB). Who is not there"
        " has been culled and takes disk alone."
    )


def report(found):
    """All tables of a measurement, in Markdown."""
    rows = found["rows"]
    return (
        f"Measured on {found['cores']} cores and {found['memory']:.0f} GiB.\n\n"
        f"{measured(rows)}\n\n{extrapolated(rows, found['installed'])}"
    )


def page_with(found):
    """The text of hub/README.md with the tables in it."""
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    return f"{before}{BEGIN}\n\n{report(found)}\n\n{END}{rest.split(END)[1]}"
