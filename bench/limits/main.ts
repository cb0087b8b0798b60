import { mongo, Types } from 'mongoose';
import { closedLoop } from '../closed-loop';
import { copyIndexes, Records } from '../records';
import type { LimitAnswer, LimitCall, LimitCalls } from './calls';
import type { Limit } from './limit';
import { LIMITS } from './limits';

/** Runs the bare driver in a separate process, so that it does not share the event loop of the load generator. */
class LimitProcess {
  private databases?: { own: Records; service: Records; receiverUrl: string };
  private limit?: Limit;

  async carryOut(call: LimitCall): Promise<LimitCalls[keyof LimitCalls]['output']> {
    switch (call.name) {
      case 'open': {
        const { mongodbUri, own, service, receiverUrl } = call.input;
        const client = await new mongo.MongoClient(mongodbUri).connect();
        await copyIndexes(client.db(service), client.db(own));
        this.databases = {
          own: new Records(client.db(own)),
          service: new Records(client.db(service)),
          receiverUrl,
        };
        return null;
      }
      case 'begin': {
        if (!this.databases) throw new Error('Nothing is open yet');
        const { row, user, devices } = call.input;
        this.limit = await LIMITS[row]({
          ...this.databases,
          user: new Types.ObjectId(user),
          devices: devices.map((device) => new Types.ObjectId(device)),
        });
        return null;
      }
      case 'prepare':
        await this.begun().prepare?.(call.input.units);
        return null;
      case 'run': {
        const limit = this.begun();
        return closedLoop(call.input.seconds, call.input.lanes, () => limit.operation());
      }
    }
  }

  private begun(): Limit {
    if (!this.limit) throw new Error('No row has begun');
    return this.limit;
  }
}

const limits = new LimitProcess();

process.on('message', (call: LimitCall) => {
  const reply = (answer: LimitAnswer) => process.send?.(answer);
  limits.carryOut(call).then(
    (answer) => reply({ id: call.id, answer }),
    (failure: unknown) => {
      const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
      reply({ id: call.id, failure: text });
    },
  );
});
// Ignore Ctrl-C; this process exits with its parent.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(0));
