"""Long work of the native part that Ctrl-C can leave."""

from __future__ import annotations

import threading
from typing import Any, Callable


def leave_on_ctrl_c(work: "Callable[..., Any]", *arguments: Any) -> Any:
    """work(*arguments) in another thread, so that KeyboardInterrupt is raised at once. The work itself comes to its end."""
    if threading.current_thread() is not threading.main_thread():  # signals are for the main thread alone
        return work(*arguments)
    result: list = []
    wrong: "list[BaseException]" = []

    def run() -> None:
        try:
            result.append(work(*arguments))
        except BaseException as error:  # goes to the one who waits
            wrong.append(error)

    thread = threading.Thread(target=run, name="overture")
    try:
        thread.start()
    except RuntimeError:  # the interpreter is ending
        return work(*arguments)
    while thread.is_alive():
        thread.join(0.5)
    if wrong:
        raise wrong[0]
    return result[0]
