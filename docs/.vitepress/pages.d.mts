export interface Group {
  readonly title: string;
  readonly pages: readonly { readonly name: string; readonly path: string }[];
}
export const ROOT: string;
export function readGroups(readme: string): readonly Group[];
export function listPages(): readonly string[];
export function writeIndex(): string;
