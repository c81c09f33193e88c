/** The code that Node gives to a failure of the system, such as `ENOENT`; empty for any other error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** What was asked of the system, or null where there is no such thing. */
export async function allowMissing<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
}

/** What a look gives, or `otherwise` when it throws: at what may not be there, or be gone meanwhile. */
export function attempt<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/** What a text holds as JSON; undefined, which no JSON says, for any other text. */
export function parseJson(text: string): unknown {
  return attempt((): unknown => JSON.parse(text), undefined);
}
