import { Module } from '@nestjs/common';
import { MessagesModule } from '../messages/messages.module';
import { BatchesModule } from './batches/batches.module';
import { CancellationModule } from './cancellation/cancellation.module';
import { DispatchModule } from './dispatch/dispatch.module';
import { DrainModule } from './drain/drain.module';
import { InsightModule } from './insight/insight.module';
import { LoopTestsModule } from './loop-tests/loop-tests.module';
import { MovesModule } from './moves/moves.module';
import { PoolsModule } from './pools/pools.module';
import { RoutingModule } from './routing/routing.module';
import { SendersModule } from './senders/senders.module';
import { SendsModule } from './sends/sends.module';
import { SuppressionsModule } from './suppressions/suppressions.module';
import { WavesModule } from './waves/waves.module';

/** Each module imports only those before it. */
const MODULES = [
  WavesModule,
  SendersModule,
  SendsModule,
  CancellationModule,
  SuppressionsModule,
  RoutingModule,
  DispatchModule,
  MovesModule,
  BatchesModule,
  PoolsModule,
  DrainModule,
  LoopTestsModule,
  InsightModule,
];

/** Everything between a send and a phone, for programs that embed the service. The service's other modules import the one they need. */
@Module({ imports: [...MODULES, MessagesModule], exports: [...MODULES, MessagesModule] })
export class GatewayModule {}
