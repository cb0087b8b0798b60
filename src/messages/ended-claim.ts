import { coalesce } from '../infrastructure/mongo/coalesce';
import { exists } from '../infrastructure/mongo/exists';

const IS_OF_POOL = exists('$pool');

/** Fields of a message after a claim that ended before it was taken: without a pool, a SIM is chosen again. */
export const withoutChosenSim = {
  sim: { $cond: [IS_OF_POOL, coalesce('$sim'), '$$REMOVE'] },
  simSubscriptionId: {
    $cond: [
      { $and: [{ $not: [IS_OF_POOL] }, { $eq: ['$isSimChosen', true] }] },
      '$$REMOVE',
      coalesce('$simSubscriptionId'),
    ],
  },
  isSimChosen: { $cond: [IS_OF_POOL, coalesce('$isSimChosen'), '$$REMOVE'] },
};
