import { z } from 'zod';

/** Maximum length of a tag, in characters. The database table has the same check. */
const TAG_LENGTH = 40;
export const MAX_TAGS = 20;
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}\p{N}]+)*$/u;

/** A tag of a project in lowercase NFC, so that tags that look equal are equal. */
export const ProjectTag = z
  .string()
  .trim()
  .overwrite((text) => text.replace(/^#/, '').toLowerCase().normalize('NFC'))
  .refine((tag) => TAG.test(tag), 'a tag is made of letters, digits and single hyphens, such as payments or on-call')
  .refine((tag) => [...tag].length <= TAG_LENGTH, `a tag has at most ${TAG_LENGTH} characters`)
  .describe('A short word: letters of any script, digits and hyphens');
