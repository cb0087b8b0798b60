import { IntegerVariable } from '../environment/environment';

/** Limits per account or phone. What is counted per account is concurrent, in each process. */
export class LimitsConfig {
  /** Heartbeats, uploads, reports and stream connections per phone and minute, in each process; 0 disables the limit. */
  @IntegerVariable('MAX_PHONE_REQUESTS_PER_MINUTE', 0)
  readonly maxPhoneRequestsPerMinute: number = 1_200;

  /** Received messages stored per phone in 24 hours; 0 disables the limit. */
  @IntegerVariable('MAX_RECEIVED_MESSAGES_PER_PHONE_DAY', 0)
  readonly maxReceivedMessagesPerPhoneDay: number = 20_000;

  @IntegerVariable('MAX_STREAMS_PER_ACCOUNT', 1, 100_000)
  readonly maxStreamsPerAccount: number = 200;

  @IntegerVariable('MAX_EVENT_STREAMS_PER_ACCOUNT', 1, 10_000)
  readonly maxEventStreamsPerAccount: number = 20;

  @IntegerVariable('MAX_WEBHOOK_TESTS_PER_ACCOUNT', 1, 1_000)
  readonly maxWebhookTestsPerAccount: number = 5;

  @IntegerVariable('MAX_SEARCHES_PER_ACCOUNT', 1, 1_000)
  readonly maxSearchesPerAccount: number = 5;

  /** Concurrent reads of message lists, batches and the delivery history per account. */
  @IntegerVariable('MAX_LISTS_PER_ACCOUNT', 1, 10_000)
  readonly maxListsPerAccount: number = 50;

  @IntegerVariable('MAX_REPLAYS_PER_ACCOUNT', 1, 1_000)
  readonly maxReplaysPerAccount: number = 2;

  @IntegerVariable('MAX_EXPORTS_PER_ACCOUNT', 1, 1_000)
  readonly maxExportsPerAccount: number = 2;
}
