/** Phrases that identify a license, in lower case with single spaces. The phrase that comes first in the text decides. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'AGPL-3.0': ['gnu affero general public license version 3'],
  'GPL-3.0': ['gnu general public license version 3'],
  'GPL-2.0': ['gnu general public license version 2'],
  'LGPL-3.0': ['gnu lesser general public license version 3'],
  'LGPL-2.1': ['gnu lesser general public license version 2.1'],
  'MPL-2.0': ['mozilla public license version 2.0', 'mozilla public license, version 2.0'],
  'Apache-2.0': ['apache license version 2.0', 'apache license, version 2.0'],
  MIT: ['permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated'],
  ISC: [
    'permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided',
  ],
  '0BSD': [
    'permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted. the software',
  ],
  'BSD-3-Clause': ['redistribution and use in source and binary forms'],
  Unlicense: ['this is free and unencumbered software released into the public domain'],
  'CC0-1.0': ['cc0 1.0 universal'],
  'BSL-1.0': ['boost software license - version 1.0'],
  'BUSL-1.1': ['business source license 1.1'],
  'SSPL-1.0': ['server side public license'],
  'Elastic-2.0': ['elastic license 2.0'],
  'EPL-2.0': ['eclipse public license - v 2.0'],
  'EUPL-1.2': ['european union public licence v. 1.2', 'european union public licence v.1.2'],
  Zlib: ["this software is provided 'as-is', without any express or implied warranty. in no event"],
  WTFPL: ['do what the fuck you want to public license'],
};

/** Number of characters to read: the longest license has about 35 KB and its title at the top. */
const MAX_READ_LENGTH = 40_000;

/** Returns the SPDX id of a license text, without `-only` or `-or-later`; null when unknown. */
export function recognizeLicense(text: string): string | null {
  const plain = text
    .slice(0, MAX_READ_LENGTH)
    .toLowerCase()
    .replaceAll(/[\s*#>/=_-]+/g, ' ')
    .replaceAll(/[“”"]/g, '');
  let first: { readonly id: string; readonly at: number } | null = null;
  for (const [id, words] of Object.entries(WORDS))
    for (const one of words) {
      const at = plain.indexOf(one.replaceAll(/[/-]+/g, ' ').replaceAll(/ +/g, ' '));
      if (at >= 0 && (first === null || at < first.at)) first = { id, at };
    }
  if (first?.id !== 'BSD-3-Clause') return first?.id ?? null;
  return /neither the names? of|may not be used to endorse/.test(plain) ? 'BSD-3-Clause' : 'BSD-2-Clause';
}

export function isLicenseFile(path: string): boolean {
  return /^(?:(?:un)?licen[cs]es?|copying)(?:[._-][\w.-]*)?$/i.test(path) || /^LICENSES\/[^/]+$/.test(path);
}
