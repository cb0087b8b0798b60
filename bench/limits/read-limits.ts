import type { Limit, LimitRoom } from './limit';

const PAGE = 50;

/** A page and its total: the two queries of the list, read to their end. One message more tells whether there is more. */
export function listLimit({ service, user }: LimitRoom): Limit {
  return {
    async operation() {
      await Promise.all([
        service.messages
          .find({ user })
          .sort({ createdAt: -1, _id: -1 })
          .limit(PAGE + 1)
          .toArray(),
        service.messages.countDocuments({ user }),
      ]);
      return 1;
    },
  };
}

/** The sums over the account's devices, and its keys. */
export function statsLimit({ service, user }: LimitRoom): Limit {
  return {
    async operation() {
      await Promise.all([
        service.devices
          .aggregate([
            { $match: { user } },
            {
              $group: {
                _id: null,
                devices: { $sum: { $cond: [{ $eq: [{ $type: '$deletedAt' }, 'missing'] }, 1, 0] } },
                sent: { $sum: '$sentSMSCount' },
                received: { $sum: '$receivedSMSCount' },
              },
            },
          ])
          .toArray(),
        service.apiKeys.countDocuments({ user, revokedAt: { $exists: false } }),
      ]);
      return 1;
    },
  };
}
