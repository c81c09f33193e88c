import type { Analyzer } from './analyzer.ts';

/** Every analyzer. To add one: a folder here, a line in this table, and its rules in the table of rules. */
export const ANALYZERS: readonly Analyzer[] = [];
