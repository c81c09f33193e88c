import parse, { type Info } from 'spdx-expression-parse';

/** Nobody writes longer ones. */
const LIMIT = 300;

/** Copyleft that reaches what is built on it, and licenses that forbid some of its uses. */
const STRONG = /^(?:A?GPL|SSPL|OSL|EUPL|CC-BY-NC|CC-BY-SA|BUSL|Elastic|Commons-Clause)/i;
/** Reaches those who use it over a network, or forbids a use outright. */
const NETWORK = /^(?:AGPL|SSPL|BUSL|Elastic|CC-BY-NC|Commons-Clause)/i;

export type Reading = { readonly isValid: true; readonly tree: Info } | { readonly isValid: false };

/** Reads an SPDX expression. npm's older `(MIT)` is one, Cargo's older `MIT/Apache-2.0` too. */
export function readExpression(text: string): Reading {
  if (text.length > LIMIT) return { isValid: false };
  try {
    return { isValid: true, tree: parse(text.replaceAll(/(?<=\w)\s?\/\s?(?=\w)/g, ' OR ').trim()) };
  } catch {
    // What cannot be parsed is the answer.
    return { isValid: false };
  }
}

/** The ids in an expression, without `-only` and `-or-later`. */
export function idsOf(tree: Info): readonly string[] {
  return 'license' in tree ? [plainId(tree.license)] : [...idsOf(tree.left), ...idsOf(tree.right)];
}

export function plainId(id: string): string {
  return id.replace(/-(?:only|or-later)$/, '');
}

/** How far a license reaches: into what is built on it, or even to those who only use it over a network. Where one may choose, the milder. */
export function reachOf(tree: Info): 'none' | 'linked' | 'network' {
  if ('license' in tree) {
    if (tree.exception !== undefined || !STRONG.test(tree.license)) return 'none';
    return NETWORK.test(tree.license) ? 'network' : 'linked';
  }
  const [one, other] = [reachOf(tree.left), reachOf(tree.right)].sort(byReach);
  return (tree.conjunction === 'or' ? one : other) ?? 'none';
}

const REACHES = ['none', 'linked', 'network'];
function byReach(one: string, other: string): number {
  return REACHES.indexOf(one) - REACHES.indexOf(other);
}
