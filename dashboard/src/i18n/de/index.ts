import account from './account';
import apiKeys from './api-keys';
import blocks from './blocks';
import campaigns from './campaigns';
import checkup from './checkup';
import common from './common';
import conversations from './conversations';
import explanation from './explanation';
import failures from './failures';
import loopTest from './loop-test';
import messages from './messages';
import operations from './operations';
import palette from './palette';
import optOuts from './opt-outs';
import overview from './overview';
import pairing from './pairing';
import phones from './phones';
import pools from './pools';
import problems from './problems';
import queue from './queue';
import send from './send';
import shell from './shell';
import signIn from './sign-in';
import waits from './waits';
import webhooks from './webhooks';

export default {
  account,
  apiKeys,
  blocks,
  campaigns,
  checkup,
  common,
  conversations,
  explanation,
  failures,
  loopTest,
  messages,
  operations,
  optOuts,
  overview,
  pairing,
  palette,
  phones,
  pools,
  problems,
  queue,
  send,
  shell,
  signIn,
  waits,
  webhooks,
};
