/** From the British range for fiction, so that a real phone reaches nobody. @param count at most 1,000. */
export function recipients(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `+447700900${String(index).padStart(3, '0')}`);
}
