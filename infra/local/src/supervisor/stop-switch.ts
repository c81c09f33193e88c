/**
 * One Ctrl-C arrives up to three times: from the terminal, from npm, and from the program between them.
 * Only what comes later than this is a second press.
 */
const SAME_PRESS_MS = 700;

/** Ctrl-C, SIGTERM, a closed terminal or an unexpected failure, as something to wait for. Call it once per process. */
export function createStopSwitch() {
  const controller = new AbortController();
  const { signal }: { readonly signal: AbortSignal } = controller;
  const kills: (() => void)[] = [];
  let firstAt = 0;
  let failure: Error | null = null;
  const pressed = new Promise<void>((resolve) => {
    const press = (): void => {
      if (firstAt === 0) {
        firstAt = Date.now();
        controller.abort();
        resolve();
        return;
      }
      if (Date.now() - firstAt < SAME_PRESS_MS) return;
      for (const kill of kills.toReversed()) kill();
      process.exit(130);
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, press);
    // A mistake in here must not leave behind what runs. What breaks while it is stopped is not waited for.
    for (const name of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(name, (error) => {
        failure ??= error instanceof Error ? error : new Error(String(error));
        if (firstAt === 0) press();
      });
  });
  // A terminal that was closed must not turn the last lines into a crash.
  process.stderr.on('error', () => undefined);
  return {
    signal,
    pressed,
    /** What to do when the person presses again because stopping takes too long; then the process ends. */
    onSecondPress: (kill: () => void): void => void kills.push(kill),
    /** What broke and pressed the switch; null when a person did. */
    failure: (): Error | null => failure,
  };
}

export type StopSwitch = ReturnType<typeof createStopSwitch>;
