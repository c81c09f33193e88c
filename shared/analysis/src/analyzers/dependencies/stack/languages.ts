/** Programming languages by file extension, named as on GitHub. */
const PROGRAMMING: Readonly<Record<string, string>> = {
  TypeScript: 'ts tsx mts cts',
  JavaScript: 'js jsx mjs cjs',
  Python: 'py pyi pyx',
  Go: 'go',
  Rust: 'rs',
  Java: 'java',
  Kotlin: 'kt kts',
  Scala: 'scala sc',
  Groovy: 'groovy gradle',
  Clojure: 'clj cljs cljc',
  'C#': 'cs csx',
  'F#': 'fs fsx fsi',
  'Visual Basic .NET': 'vb',
  C: 'c h',
  'C++': 'cpp cc cxx hpp hh hxx',
  'Objective-C': 'm mm',
  Swift: 'swift',
  Ruby: 'rb rake gemspec',
  PHP: 'php phtml',
  Perl: 'pl pm',
  Lua: 'lua',
  R: 'r',
  Julia: 'jl',
  Haskell: 'hs',
  OCaml: 'ml mli',
  Erlang: 'erl hrl',
  Elixir: 'ex exs',
  Dart: 'dart',
  Zig: 'zig',
  Nim: 'nim',
  Crystal: 'cr',
  Solidity: 'sol',
  Shell: 'sh bash zsh',
  PowerShell: 'ps1 psm1',
  Batchfile: 'bat cmd',
  Assembly: 'asm s',
  SQL: 'sql',
  PLpgSQL: 'pgsql',
  Vue: 'vue',
  Svelte: 'svelte',
  Astro: 'astro',
  HCL: 'tf hcl',
  Nix: 'nix',
  Starlark: 'bzl bazel',
  CMake: 'cmake',
};
const MARKUP: Readonly<Record<string, string>> = {
  HTML: 'html htm',
  CSS: 'css',
  SCSS: 'scss',
  Sass: 'sass',
  Less: 'less',
  Jinja: 'jinja jinja2 j2',
  Handlebars: 'hbs handlebars',
  EJS: 'ejs',
  ERB: 'erb',
  Haml: 'haml',
  Pug: 'pug jade',
  Blade: 'blade.php',
  GraphQL: 'graphql gql',
  'Protocol Buffer': 'proto',
};
const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: 'Dockerfile',
  makefile: 'Makefile',
  gemfile: 'Ruby',
  rakefile: 'Ruby',
};

const BY_ENDING = new Map(
  [...Object.entries(PROGRAMMING), ...Object.entries(MARKUP)].flatMap(([language, endings]) =>
    endings.split(' ').map((ending) => [ending, language] as const),
  ),
);

/** Returns the language of a file by its extension; null for data, prose, images and unknown files. */
export function detectLanguage(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name] ?? null;
  if (/^dockerfile\.|\.dockerfile$/.test(name)) return 'Dockerfile';
  const [, double, ending] = /\.(\w+\.(\w+))$/.exec(name) ?? [];
  return BY_ENDING.get(double ?? '') ?? BY_ENDING.get(ending ?? name.slice(name.lastIndexOf('.') + 1)) ?? null;
}
