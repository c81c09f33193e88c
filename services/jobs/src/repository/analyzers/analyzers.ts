import type { Analyzer } from './analyzer.ts';
import { CODE_ANALYZER } from './quality/code/code.ts';

/** Every analyzer. To add one: a folder here, a line in this table, and its rules in the table of rules. */
export const ANALYZERS: readonly Analyzer[] = [CODE_ANALYZER];
