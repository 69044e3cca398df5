"""A browser without a window, told what to do through a pipe."""

import base64
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """Chromium, and one page of it."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        # It reads commands at descriptor 3, and answers at 4: each a JSON object that ends with a zero byte.
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # One may be where the other has to go.
        commands, answers = (os.dup(os.dup(end)) for end in (commands, answers))

        def place():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=place, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number, self.session, self.rest = 0, None, b""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, **parameters):
        """Returns the answer to one command; what the browser reports meanwhile is dropped."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def read(self):
        while b"\0" not in self.rest:
            part = os.read(self.answers, 1 << 16)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, address, width, is_dark):
        """Opens a page, as wide as a window, and returns when it is drawn."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        # Chromium does not load a page again that it has: another one in between.
        self.ask("Page.navigate", url="about:blank")
        failed = self.ask("Page.navigate", url=address).get("errorText")
        if failed:
            raise RuntimeError(f"{address}: {failed}")
        self.run("new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', done))")
        self.run("document.fonts.ready.then(() => new Promise(requestAnimationFrame)).then(() => 0)")

    def run(self, code):
        """Returns what an expression gives, or the promise that it is."""
        answer = self.ask("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return answer["result"].get("value")

    def picture(self):
        return base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"])
