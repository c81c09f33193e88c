import { z } from 'zod';

/** The longest tag, in characters. The table checks the same. */
const TAG_LENGTH = 40;
/** Tags that one project may have: more say nothing any more. */
export const MAX_TAGS = 20;
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+)*$/u;

/** A tag of a project as it is kept: small letters in one form, so that what looks the same is the same. */
export const Tag = z
  .string()
  .trim()
  .overwrite((text) => text.replace(/^#/, '').toLowerCase().normalize('NFC'))
  .refine((tag) => TAG.test(tag), 'a tag is made of letters, digits and single hyphens, such as payments or on-call')
  .refine((tag) => [...tag].length <= TAG_LENGTH, `a tag has at most ${TAG_LENGTH} characters`)
  .describe('A short word: letters of any script, digits and hyphens');
