import { z } from 'zod';

/** From least to most powerful. A stranger has no role at all. */
export const Role = z.enum(['viewer', 'developer', 'operator', 'admin']);
export type Role = z.infer<typeof Role>;

export function coversRole(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}
