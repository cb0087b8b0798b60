/** The fields of a pipeline update that reserves the next slot on the timeline of a phone or a SIM. */
export const nextSlot = (durationMs: number, now: Date) => ({
  dispatchFreeAt: { $add: [{ $max: ['$dispatchFreeAt', now] }, durationMs] },
});
