import { buildNaiveGraph } from './naive-graph.ts';

/** What LangGraph's server serves: the graph of the plain bot, whose conversations the server keeps itself. */
export const graph = buildNaiveGraph(null);
