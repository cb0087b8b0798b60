import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { Variable } from '../environment';

/** Limits per account or phone. Concurrency limits apply per process. */
export class LimitsConfig {
  /** Heartbeats, uploads, reports and stream connections per phone and minute, in each process; 0 disables the limit. */
  @Variable('MAX_PHONE_REQUESTS_PER_MINUTE')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  readonly maxPhoneRequestsPerMinute: number = 1_200;

  /** Received messages stored per phone in 24 hours; 0 disables the limit. */
  @Variable('MAX_RECEIVED_MESSAGES_PER_PHONE_DAY')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  readonly maxReceivedMessagesPerPhoneDay: number = 20_000;

  /** Concurrent streams per account. */
  @Variable('MAX_STREAMS_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100_000)
  readonly maxStreamsPerAccount: number = 200;

  /** Concurrent webhook tests per account. */
  @Variable('MAX_WEBHOOK_TESTS_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly maxWebhookTestsPerAccount: number = 5;

  /** Concurrent message searches per account. */
  @Variable('MAX_SEARCHES_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly maxSearchesPerAccount: number = 5;

  /** Concurrent reads of message lists, batches and the delivery history per account. */
  @Variable('MAX_LISTS_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(10_000)
  readonly maxListsPerAccount: number = 50;

  /** Concurrent webhook replays per account. */
  @Variable('MAX_REPLAYS_PER_ACCOUNT')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly maxReplaysPerAccount: number = 2;
}
