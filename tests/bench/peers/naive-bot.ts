import http from 'node:http';
import { HumanMessage } from '@langchain/core/messages';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { ChatOpenAI } from '@langchain/openai';
import { Bot } from 'grammy';
import pg from 'pg';
import { loadNaiveConfig } from './config.ts';
import { buildNaiveGraph } from './naive-graph.ts';

// The bot that a competent user would write instead: grammY, a graph, LangGraph's Postgres saver. Updates are handled at once.

const env = loadNaiveConfig();
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 16 });
await pool.query('create table if not exists bench_projects (name text primary key, description text)');
await pool.query(`insert into bench_projects values ('shop', 'Tea') on conflict do nothing`);
const saver = new PostgresSaver(pool);
await saver.setup();
const model =
  env.MODEL_URL === undefined
    ? undefined
    : new ChatOpenAI({ model: 'slow', apiKey: 'none', configuration: { baseURL: env.MODEL_URL } });
const graph = buildNaiveGraph(pool, saver, model);
const bot = new Bot(env.TELEGRAM_BOT_TOKEN, { client: { apiRoot: env.TELEGRAM_API_ROOT } });
bot.on('message:text', async (context) => {
  const state = await graph.invoke(
    { messages: [new HumanMessage(context.message.text)] },
    { configurable: { thread_id: String(context.chat.id) } },
  );
  await context.reply(state.messages.at(-1)?.text ?? '');
});
await bot.init();
http.createServer((_, response) => response.end('ok')).listen(env.PROBE_PORT, '127.0.0.1');
let offset = 0;
for (;;) {
  const updates = await bot.api.getUpdates({ offset, timeout: 25 });
  for (const update of updates) {
    offset = update.update_id + 1;
    bot.handleUpdate(update).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  }
}
