import account from './account';
import apiKeys from './api-keys';
import campaigns from './campaigns';
import common from './common';
import conversations from './conversations';
import messages from './messages';
import operations from './operations';
import overview from './overview';
import phones from './phones';
import pools from './pools';
import send from './send';
import shell from './shell';
import signIn from './sign-in';
import webhooks from './webhooks';

export default {
  account,
  apiKeys,
  campaigns,
  common,
  conversations,
  messages,
  operations,
  overview,
  phones,
  pools,
  send,
  shell,
  signIn,
  webhooks,
};
