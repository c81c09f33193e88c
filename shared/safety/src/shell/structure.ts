import { forEachChild, parse, type Command, type SyntaxNode } from 'unbash';

/** The structure of a command at any depth, for alarms only, never for execution. */
export interface ShellStructure {
  /** All simple commands, including those in substitutions. */
  readonly vectors: readonly (readonly string[])[];
  /** The commands of each pipeline in order. */
  readonly pipelines: readonly (readonly (readonly string[])[])[];
  /** Commands whose words contain other commands: the outer command, then all inner commands. */
  readonly nestings: readonly (readonly (readonly string[])[])[];
  /** Names of functions that pipe into themselves (fork bombs). */
  readonly bombs: readonly string[];
  readonly targets: readonly string[];
  /** True when a command cannot be read: an expansion or quotes in its name, or a syntax error. */
  readonly hidden: boolean;
}

/** Parses any text as bash would, as far as possible. Never throws: the parser limits nesting. */
export function readStructure(command: string): ShellStructure {
  const script = parse(command);
  const vectors: (readonly string[])[] = [];
  const pipelines: (readonly (readonly string[])[])[] = [];
  const nestings: (readonly (readonly string[])[])[] = [];
  const bombs: string[] = [];
  const targets: string[] = [];
  let hidden = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Script' && node.errors?.length) hidden = true;
    if (node.type === 'Redirect' && node.target) targets.push(node.target.value);
    if (node.type === 'Pipeline') pipelines.push(node.commands.flatMap(listCommands));
    if (node.type === 'Function' && pipesItself(node, node.name.value)) bombs.push(node.name.value);
    if (node.type === 'Command') {
      hidden ||= node.name?.parts !== undefined;
      const own = readVector(node);
      if (own.length > 0) vectors.push(own);
      const inner = listCommands(node).slice(1);
      if (inner.length > 0) nestings.push([own, ...inner]);
    }
    forEachChild(node, visit);
  };
  visit(script);
  return { vectors, pipelines, nestings, bombs, targets, hidden };
}

/** Lists the simple commands of a subtree, outermost first. */
function listCommands(node: SyntaxNode): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const visit = (child: SyntaxNode): void => {
    if (child.type === 'Command') found.push(readVector(child));
    forEachChild(child, visit);
  };
  visit(node);
  return found;
}

function readVector({ name, args }: Command): readonly string[] {
  return name ? [name.value, ...args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))] : [];
}

function pipesItself(node: SyntaxNode, name: string): boolean {
  let found = false;
  const visit = (child: SyntaxNode): void => {
    if (child.type === 'Pipeline') found ||= listCommands(child).filter(([called]) => called === name).length > 1;
    forEachChild(child, visit);
  };
  visit(node);
  return found;
}
