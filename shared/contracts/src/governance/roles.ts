import { z } from 'zod';

/** Roles from least to most powerful. A stranger has no role. */
export const Role = z.enum(['viewer', 'developer', 'operator', 'admin']);
export type Role = z.infer<typeof Role>;

export function coversRole(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed);
}
