import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { BatchesController } from './batches/http/batches.controller';
import { CancellationController } from './cancellation/http/cancellation.controller';
import { DrainController } from './drain/http/drain.controller';
import { GatewayModule } from './gateway.module';
import { CheckupController } from './insight/checkup/http/checkup.controller';
import { EstimatesController } from './insight/estimates/http/estimates.controller';
import { ExplanationController } from './insight/explanation/http/explanation.controller';
import { LiveUpdatesController } from './insight/live-updates/live-updates.controller';
import { ProblemsController } from './insight/problems/http/problems.controller';
import { SendQueueController } from './insight/send-queue/http/send-queue.controller';
import { StatsController } from './insight/stats/http/stats.controller';
import { LoopTestsController } from './loop-tests/http/loop-tests.controller';
import { MovesController } from './moves/http/moves.controller';
import { PoolsController } from './pools/http/pools.controller';
import { DeviceSendsController } from './sends/http/device-sends.controller';
import { SendsController } from './sends/http/sends.controller';
import { OptOutCandidatesController } from './suppressions/http/opt-out-candidates.controller';
import { SuppressionsController } from './suppressions/http/suppressions.controller';

/** The routes of all modules of the gateway. */
@Module({
  imports: [AuthModule, DevicesModule, GatewayModule],
  controllers: [
    BatchesController,
    CancellationController,
    CheckupController,
    DeviceSendsController,
    DrainController,
    EstimatesController,
    ExplanationController,
    LiveUpdatesController,
    LoopTestsController,
    MovesController,
    OptOutCandidatesController,
    PoolsController,
    ProblemsController,
    SendQueueController,
    SendsController,
    StatsController,
    SuppressionsController,
  ],
})
export class GatewayHttpModule {}
