"""The command line of `.ci/pages`."""

import argparse
import sys
import tempfile
from pathlib import Path

from browser import Browser

HERE = Path(__file__).parent
WIDTHS = (390, 1280)
CHECK = (HERE / "check.js").read_text()


def main():
    parser = argparse.ArgumentParser(prog=".ci/pages", description="Looks at pages in a browser.")
    parser.add_argument("browser")
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--pictures", metavar="FOLDER", help="write what was seen")
    parser.add_argument("--self-test", action="store_true", help="look at pages with one fault each")
    options = parser.parse_intermixed_args()
    if not options.self_test and not options.files:
        parser.error("which page?")
    for name in options.files:
        if not Path(name).is_file():
            parser.error(f"{name}: there is no such file")
    with Browser(options.browser) as browser:
        if options.self_test:
            return self_test(browser)
        if options.pictures:
            Path(options.pictures).mkdir(parents=True, exist_ok=True)
        return 1 if sum(look(browser, Path(name), options.pictures) for name in options.files) else 0


def look(browser, file, pictures):
    """Prints what is wrong with a page, and returns how much that is."""
    count, texts = 0, 0
    for width in WIDTHS:
        for is_dark in (False, True):
            faults, texts = look_once(browser, file, width, is_dark)
            light = "dark" if is_dark else "light"
            for fault in faults:
                print(f"{file}, {width} pixels, {light}: {fault}")
            count += len(faults)
            if pictures:
                (Path(pictures) / f"{file.stem}-{width}-{light}.png").write_bytes(browser.picture())
    print(f"{file}: {texts} pieces of text, {count} faults", flush=True)
    return count


def look_once(browser, file, width, is_dark):
    if file.suffix == ".svg":
        # As wide as the page around it, as it is shown.
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.html"
            page.write_text(f"<!DOCTYPE html><style>svg {{ width: 100%; height: auto }}</style>{file.read_text()}")
            return look_once(browser, page, width, is_dark)
    browser.open(file.resolve().as_uri(), width, is_dark)
    seen = browser.run(CHECK)
    faults = seen["faults"]
    # A check that has nothing to look at has found nothing.
    return (faults if seen["texts"] else faults + ["there is no text"]), seen["texts"]


def self_test(browser):
    """Each page in `faults` says in its title what is to be found, and where that is not everywhere; nothing else is."""
    wrong = 0
    for file in sorted((HERE / "faults").iterdir()):
        found = set()
        for width in WIDTHS:
            for is_dark in (False, True):
                found |= {fault.split(":")[0] for fault in look_once(browser, file, width, is_dark)[0]}
        wanted = {file.stem.replace("-", " ")} - {"none"}
        if found != wanted:
            wrong += 1
            print(f"{file.name}: found {sorted(found) or 'nothing'}", file=sys.stderr)
    print(f"{len(list((HERE / 'faults').iterdir()))} pages with a known fault, {wrong} looked at wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
