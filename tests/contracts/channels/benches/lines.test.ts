import { describeChannel } from '../../channels.ts';
import lines from './lines.ts';

describeChannel(lines.channel, lines.open, lines.lacks);
