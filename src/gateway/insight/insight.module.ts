import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { BillingModule } from '../../billing/billing.module';
import { ConsentModule } from '../../consent/consent.module';
import { DevicesModule } from '../../devices/devices.module';
import { DrainModule } from '../drain/drain.module';
import { LoopTestsModule } from '../loop-tests/loop-tests.module';
import { MessagesModule } from '../../messages/messages.module';
import { SendsModule } from '../sends/sends.module';
import { TotalsModule } from '../../totals/totals.module';
import { WebhooksModule } from '../../webhooks/webhooks.module';
import { AccountFactsReader } from './problems/account-facts.service';
import { CheckupRepository } from './checkup/checkup.repository';
import { CheckupService } from './checkup/checkup.service';
import { EstimateService } from './estimates/estimate.service';
import { ExplanationService } from './explanation/explanation.service';
import { LiveUpdateStreams } from './live-updates/live-update-streams.service';
import { MessageFactsReader } from './explanation/message-facts.service';
import { ProblemsService } from './problems/problems.service';
import { SendQueueRepository } from './send-queue/send-queue.repository';
import { SendQueueService } from './send-queue/send-queue.service';
import { SeriesService } from './stats/series.service';
import { SimForecasts } from './estimates/sim-forecasts.service';
import { StatsService } from './stats/stats.service';

const EXPORTED = [
  CheckupService,
  EstimateService,
  ExplanationService,
  LiveUpdateStreams,
  ProblemsService,
  SendQueueService,
  SeriesService,
  StatsService,
];

/** What the owner sees: statistics, the queue, estimates, explanations, problems and live updates. */
@Module({
  imports: [
    AuthModule,
    BillingModule,
    ConsentModule,
    DevicesModule,
    DrainModule,
    LoopTestsModule,
    MessagesModule,
    SendsModule,
    TotalsModule,
    WebhooksModule,
  ],
  providers: [
    ...EXPORTED,
    AccountFactsReader,
    CheckupRepository,
    MessageFactsReader,
    SendQueueRepository,
    SimForecasts,
  ],
  exports: EXPORTED,
})
export class InsightModule {}
