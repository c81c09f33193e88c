import { z } from 'zod';
import { AppError, ERRORS, type ErrorCode, type ErrorData } from '../errors.ts';

/** The error behind a job's result, which tells a worker what its sentence quotes; null in results of older releases. */
export const ErrorCause = z
  .object({ code: z.string(), data: z.record(z.string(), z.string()) })
  .nullable()
  .default(null);
export type ErrorCause = z.infer<typeof ErrorCause>;

export function toErrorCause({
  code,
  data,
}: {
  readonly code: string;
  readonly data: Readonly<Record<string, string>>;
}): ErrorCause {
  return { code, data: { ...data } };
}

/** Rebuilds the error; undefined for a code that this release does not have. */
export function readErrorCause(cause: ErrorCause): AppError | undefined {
  if (cause === null || !(cause.code in ERRORS)) return undefined;
  return new AppError(cause.code as ErrorCode, cause.data as ErrorData<ErrorCode>); // an AppError of this code held these data
}
