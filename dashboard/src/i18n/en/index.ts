import account from './account';
import apiKeys from './api-keys';
import blocks from './blocks';
import campaigns from './campaigns';
import checkup from './checkup';
import common from './common';
import contacts from './contacts';
import conversations from './conversations';
import explanation from './explanation';
import failures from './failures';
import imports from './imports';
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

const en = {
  account,
  apiKeys,
  blocks,
  campaigns,
  checkup,
  common,
  contacts,
  conversations,
  explanation,
  failures,
  imports,
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

export default en;

/** The texts of the pages, by page and name. English has each of them. */
export type Catalogue = typeof en;

type Translated<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends string ? string : Translated<Texts[Name]>;
};

/** A complete catalogue of another language. */
export type Translation = Translated<Catalogue>;
