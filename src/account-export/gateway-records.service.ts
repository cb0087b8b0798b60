import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { DevicesService } from '../devices/devices.service';
import { toDeviceResponse } from '../devices/http/device.response';
import { toAccountSimResponse } from '../devices/sims/http/sim.response';
import { SimsService } from '../devices/sims/sims.service';
import { toListedBatchResponse } from '../gateway/batches/http/batch.response';
import { BatchViews } from '../gateway/batches/batch-views.service';
import { toLoopTestResponse } from '../gateway/loop-tests/http/loop-test.response';
import { LoopTestsService } from '../gateway/loop-tests/loop-tests.service';
import { toPoolResponse } from '../gateway/pools/http/pool.response';
import { PoolsService } from '../gateway/pools/pools.service';
import { decodeCursor } from '../messages/lists/message-cursor';
import { MessageListService } from '../messages/lists/message-list.service';
import { toMessageResponse } from '../messages/http/message.response';
import { type ExportedRecord, toRecords } from './account-records.service';

const BATCHES_PER_PAGE = 50;

/** The records of an account's phones and messages. */
@Injectable()
export class GatewayRecords {
  constructor(
    private readonly devices: DevicesService,
    private readonly sims: SimsService,
    private readonly pools: PoolsService,
    private readonly loopTests: LoopTestsService,
    private readonly batches: BatchViews,
    private readonly messages: MessageListService,
  ) {}

  async *of(account: AccountScope): AsyncGenerator<ExportedRecord> {
    yield* toRecords('device', await this.devices.list(account), toDeviceResponse);
    yield* toRecords('sim', await this.sims.list(account), toAccountSimResponse);
    yield* toRecords('pool', await this.pools.list(account), toPoolResponse);
    yield* toRecords('loopTest', [await this.loopTests.get(account)], toLoopTestResponse);
    yield* this.batchesOf(account);
    const filter = { includesDeletedDevices: true };
    for await (const view of this.messages.readAll(account, { filter, order: 'asc' }))
      yield { type: 'message', data: toMessageResponse(view) };
  }

  private async *batchesOf(account: AccountScope): AsyncGenerator<ExportedRecord> {
    let cursor: string | null = null;
    do {
      const after = cursor === null ? null : decodeCursor(cursor);
      const page = await this.batches.list(account, {
        filter: {},
        limit: BATCHES_PER_PAGE,
        ...(after && { after }),
      });
      yield* toRecords('batch', page.batches, toListedBatchResponse);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}
