import type { WebSocket } from '@fastify/websocket';
import { CLOSE_CODES, type ClientFrame } from '@signalbox/contracts/conversation/frames';
import { runInBackground } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { parseClientFrame, toIncomingUpdate, type PageVisitor } from './client-frames.ts';
import type { UpdateIntake } from './intake.ts';
import type { PageSocket } from './page-socket.ts';

/** A page may send this many frames at once, then PER_SECOND. People stay far below; messages have a limit of their own. */
const BURST = 40;
const PER_SECOND = 5;

/** Reads the frames of a page one at a time: the socket pauses while one is admitted. Invalid or too many frames close it. */
export function readPageFrames(options: {
  readonly socket: WebSocket;
  readonly page: PageSocket;
  readonly visitor: PageVisitor;
  readonly intake: UpdateIntake;
  readonly log: Log;
}): void {
  const { socket, page, visitor, intake, log } = options;
  const takeToken = createBucket();
  const waiting: ClientFrame[] = [];

  const work = async (): Promise<void> => {
    page.isPaused = true;
    socket.pause();
    for (let frame = waiting.shift(); frame && page.isOpen; frame = waiting.shift()) {
      if (await intake.submit(toIncomingUpdate(frame, visitor, page.mode))) continue;
      // The page reconnects and repeats unconfirmed updates.
      page.close(CLOSE_CODES.tryAgain, 'try again');
    }
    page.isPaused = false;
    page.isAlive = true;
    if (page.isOpen) socket.resume();
  };

  socket.on('message', (data, isBinary) => {
    if (!page.isOpen) return;
    if (!takeToken()) return page.close(CLOSE_CODES.tooFast, 'too fast');
    // By default ws passes each message as one buffer.
    const frame = isBinary ? null : parseClientFrame((data as Buffer).toString(), visitor.chatKey);
    if (frame === null) return page.close(CLOSE_CODES.badFrame, 'not a frame of this session');
    // The page changes at once; the conversation follows once the frame is admitted.
    if (frame.type === 'client.mode.update') page.changeMode(frame.payload);
    waiting.push(frame);
    if (!page.isPaused) runInBackground(log, 'page', work());
  });
}

function createBucket(): () => boolean {
  let tokens = BURST;
  let at = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(BURST, tokens + ((now - at) / 1_000) * PER_SECOND);
    at = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
