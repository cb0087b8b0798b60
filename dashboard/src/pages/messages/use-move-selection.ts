import { useDisclosure } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import type { MessageResponse } from '../../../generated';

/** Messages that one call moves. */
export const MAX_SELECTED = 200;

export interface MoveSelection {
  readonly messages: readonly MessageResponse[];
  readonly has: (id: string) => boolean;
  readonly toggle: (message: MessageResponse) => void;
}

/** The messages that a person chooses in the list; `selection` is absent while none can be chosen. */
export function useMoveSelection() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [chosen, setChosen] = useState<ReadonlyMap<string, MessageResponse>>(new Map());
  const toggle = useCallback((message: MessageResponse) => {
    setChosen((before) => {
      const after = new Map(before);
      if (!after.delete(message._id) && after.size < MAX_SELECTED) after.set(message._id, message);
      return after;
    });
  }, []);
  const end = useCallback(() => {
    setChosen(new Map());
    close();
  }, [close]);
  const selection = useMemo<MoveSelection | undefined>(
    () => (isOpen ? { messages: [...chosen.values()], has: (id) => chosen.has(id), toggle } : undefined),
    [isOpen, chosen, toggle],
  );
  return { selection, start: open, end };
}
