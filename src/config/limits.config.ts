import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { Variable } from './environment';

/** What one account or phone may use at most. The limits on what runs at one time hold in each process. */
export class LimitsConfig {
  /** Heartbeats, uploads, reports and stream openings of one phone in a minute, in each process; 0 for any number. */
  @Variable('MAX_PHONE_REQUESTS_PER_MINUTE')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  readonly maxPhoneRequestsPerMinute: number = 1_200;

  /** Received messages that are stored of one phone in 24 hours; 0 for any number. */
  @Variable('MAX_RECEIVED_MESSAGES_PER_PHONE_DAY')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  readonly maxReceivedMessagesPerPhoneDay: number = 20_000;

  /** Open streams of one account at the same time. */
  @Variable('MAX_STREAMS_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100_000)
  readonly maxStreamsPerAccount: number = 200;

  /** Webhook tests of one account that run at the same time. */
  @Variable('MAX_WEBHOOK_TESTS_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly maxWebhookTestsPerAccount: number = 5;

  /** Message searches of one account that run at the same time. */
  @Variable('MAX_SEARCHES_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly maxSearchesPerAccount: number = 5;

  /** Webhook replays of one account that run at the same time. */
  @Variable('MAX_REPLAYS_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly maxReplaysPerAccount: number = 2;
}
