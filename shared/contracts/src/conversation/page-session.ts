import { z } from 'zod';

/** Response of `GET /session`: who is signed in, and what the page offers. Names and descriptions are plain text. */
export const PageSession = z.object({
  /** The signed-in person; null when nobody is signed in. */
  person: z.object({ name: z.string(), role: z.string() }).nullable(),
  /** People as whom a visitor may sign in; only on local installations. */
  demoPeople: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })).default([]),
  /** Slash commands, written without the slash, in the language of the request. */
  commands: z.array(z.object({ command: z.string(), description: z.string() })).default([]),
});
export type PageSession = z.infer<typeof PageSession>;

/** Request of `POST /session`: the code of a sign-in link, or an id from `demoPeople`. Unknown values are refused with 401. */
export const SignIn = z.union([
  z.strictObject({ code: z.string().min(1).max(200) }),
  z.strictObject({ person: z.string().min(1).max(120) }),
]);
export type SignIn = z.infer<typeof SignIn>;
