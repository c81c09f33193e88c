import { describeChannel } from '../contracts/channels.ts';
import web from '../contracts/channels/benches/web.ts';

describeChannel(web.channel, web.open, web.lacks);
