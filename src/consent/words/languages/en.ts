import type { WordList } from './word-list';

export const ENGLISH: WordList = {
  out: [],
  in: [],
  help: [],
  everyday: ['cancel', 'end', 'quit', 'revoke'],
  around: [
    ...['please', 'pls', 'plz', 'now', 'all', 'me', 'sms', 'text', 'texts', 'message', 'messages', 'spam'],
    ...['these', 'this', 'thanks', 'thx', 'ok', 'subscription', 'reply', 'everything', 'immediately'],
  ],
  unclear: [
    'dont|not|never|stop|quit text|texting|message|messaging|contact|contacting|sms|bother|bothering|spamming me|us|this|anymore',
    'dont|never send me|us any|these|this|more|texts|messages|sms',
    'dont|never send texts|messages|sms',
    'stop|quit sending|messaging|texting',
    'stop getting|receiving these|this|them|those|texts|messages|your|any|sms',
    'dont want|need these|any|your|more more? texts|messages|sms|spam',
    'dont want to get|receive',
    'no more texts|messages|sms|spam',
    'take me|us off',
    'remove|delete|drop|lose me|us|my|this from|number',
    'leave me|us alone',
    'no need to keep? sending|texting|messaging',
    'enough with|of the|your|this? spam|texts|messages',
    'unsubscribe|optout me|us|my|from|this',
    'opt me|us out',
    'wrong number please? stop|remove',
    'how do|can i unsubscribe|optout',
  ],
  harmless: [
    'dont|cant|wont|didnt|doesnt|not|never|couldnt|non|no|the|this|that|my|your|a stop',
    'bus|tram|train|next|last|first|full|pit|rest|one|short|truck|taxi|metro stop',
    'stop by|in|at|off|over|it|sign|light|lights|watch|here|there|lol|haha|loss|payment|time|laughing|crying',
  ],
};
