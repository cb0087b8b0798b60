/** The services of this worker that run, in the order in which they started. */
export const runningServices = new Set<{ stop(): Promise<void> }>();
