import { z } from 'zod';

/** From least to most. A stranger has no role at all. */
export const Role = z.enum(['viewer', 'developer', 'operator', 'admin']);
export type Role = z.infer<typeof Role>;

/** True when `role` is at least `needed`. */
export function coversRole(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}
