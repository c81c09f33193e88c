import { z } from 'zod';

/** What `GET /session` answers: who is signed in at a page, and what it offers. Names and descriptions are plain text. */
export const PageSession = z.object({
  /** Null: nobody is. */
  person: z.object({ name: z.string(), role: z.string() }).nullable(),
  /** On a machine of one's own: whom one can be. */
  demoPeople: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })).default([]),
  /** What is offered after "/", without the slash, in the language of the request. */
  commands: z.array(z.object({ command: z.string(), description: z.string() })).default([]),
});
export type PageSession = z.infer<typeof PageSession>;

/** What `POST /session` takes: a code of a link, or a person of `demoPeople`. It refuses with 401 what it does not know. */
export const SignIn = z.union([
  z.strictObject({ code: z.string().min(1).max(200) }),
  z.strictObject({ person: z.string().min(1).max(120) }),
]);
export type SignIn = z.infer<typeof SignIn>;
