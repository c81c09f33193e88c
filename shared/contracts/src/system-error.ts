/** Returns the code of a Node system error, such as `ENOENT`; empty for any other error. */
export function getSystemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Returns the result of a file operation; null when the file does not exist (ENOENT). */
export async function allowMissing<T>(operation: Promise<T>): Promise<T | null> {
  return operation.catch((error: unknown) => {
    if (getSystemCode(error) === 'ENOENT') return null;
    throw error;
  });
}

/** Returns the result of `read`, or `fallback` when `read` throws. */
export function tryOr<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

export function parseJson(text: string): unknown {
  return tryOr((): unknown => JSON.parse(text), undefined);
}
