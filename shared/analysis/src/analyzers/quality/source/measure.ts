import { findBracedFunctions } from './braced-functions.ts';
import { findIndentedFunctions } from './indented-functions.ts';
import type { Language } from './languages.ts';
import type { MeasuredFunction } from './measured-function.ts';
import type { SourceText } from './read-source.ts';

/** Measures the functions of a source, in source order and linear time. */
export function measureFunctions(source: SourceText, language: Language): readonly MeasuredFunction[] {
  return language.shape === 'indentation'
    ? findIndentedFunctions(source, language)
    : findBracedFunctions(source, language);
}
