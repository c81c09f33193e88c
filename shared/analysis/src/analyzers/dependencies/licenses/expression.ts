import parse, { type Info } from 'spdx-expression-parse';

const LIMIT = 300;

/** Copyleft licenses that also bind dependents, and licenses that forbid some uses. */
const STRONG = /^(?:A?GPL|SSPL|OSL|EUPL|CC-BY-NC|CC-BY-SA|BUSL|Elastic|Commons-Clause)/i;
/** Licenses that also apply to use over a network, or that forbid some uses. */
const NETWORK = /^(?:AGPL|SSPL|BUSL|Elastic|CC-BY-NC|Commons-Clause)/i;

export type ParsedExpression = { readonly isValid: true; readonly tree: Info } | { readonly isValid: false };

/** Parses an SPDX expression, including npm's older `(MIT)` and Cargo's `MIT/Apache-2.0`. */
export function readExpression(text: string): ParsedExpression {
  if (text.length > LIMIT) return { isValid: false };
  try {
    return { isValid: true, tree: parse(text.replaceAll(/(?<=\w)\s?\/\s?(?=\w)/g, ' OR ').trim()) };
  } catch {
    return { isValid: false };
  }
}

export function listLicenseIds(tree: Info): readonly string[] {
  return 'license' in tree ? [toPlainId(tree.license)] : [...listLicenseIds(tree.left), ...listLicenseIds(tree.right)];
}

export function toPlainId(id: string): string {
  return id.replace(/-(?:only|or-later)$/, '');
}

/** Returns whom a license binds: nobody, linked code, or network use as well. Of a choice, the mildest counts. */
export function findReach(tree: Info): 'none' | 'linked' | 'network' {
  if ('license' in tree) {
    if (tree.exception !== undefined || !STRONG.test(tree.license)) return 'none';
    return NETWORK.test(tree.license) ? 'network' : 'linked';
  }
  const [one, other] = [findReach(tree.left), findReach(tree.right)].sort(byReach);
  return (tree.conjunction === 'or' ? one : other) ?? 'none';
}

const REACHES = ['none', 'linked', 'network'];
function byReach(one: string, other: string): number {
  return REACHES.indexOf(one) - REACHES.indexOf(other);
}
