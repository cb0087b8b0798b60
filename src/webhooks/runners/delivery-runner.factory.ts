import { Injectable } from '@nestjs/common';
import { AttemptResults } from '../attempts/attempt-results.service';
import { DeliveryAttemptsService } from '../attempts/delivery-attempts.service';
import { DeliveryClaims } from './delivery-claims.service';
import { DeliveryQueue } from './delivery.queue';
import { DeliveryRunner } from './delivery-runner';
import { type HeldLease, RunnerLeases } from './runner-leases.service';

/** Creates delivery runners. */
@Injectable()
export class DeliveryRunnerFactory {
  constructor(
    private readonly leases: RunnerLeases,
    private readonly claims: DeliveryClaims,
    private readonly attempts: DeliveryAttemptsService,
    private readonly results: AttemptResults,
    private readonly queue: DeliveryQueue,
  ) {}

  /** Creates a runner for the subscription of a lease. */
  create(lease: HeldLease): DeliveryRunner {
    return new DeliveryRunner(lease, this.leases, this.claims, this.attempts, this.results, this.queue);
  }
}
