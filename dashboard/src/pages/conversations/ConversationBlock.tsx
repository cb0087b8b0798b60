import { Alert, Button, Stack } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SuppressionResponse } from '../../../generated';
import { BlockModal, HeldButtons, LiftModal } from '../../components/blocks/BlockModals';
import { BlockText } from '../../components/blocks/BlockText';

/** Whether messages to a number are stopped, who said so, and the ways to change it. */
export function ConversationBlock(props: {
  readonly number: string;
  readonly block: SuppressionResponse | undefined;
}) {
  const { t } = useTranslation();
  const { number, block } = props;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      {block ? (
        <Alert
          color={block.state === 'out' ? 'red' : 'yellow'}
          icon={<IconBan aria-hidden />}
          title={block.state === 'held' ? t('blocks.unclear') : t('blocks.out')}
          role="status"
        >
          <Stack gap="xs" align="flex-start">
            <BlockText block={block} />
            {block.state === 'held' ? (
              <HeldButtons block={block} />
            ) : (
              <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
                {t('blocks.lift')}
              </Button>
            )}
          </Stack>
        </Alert>
      ) : (
        <div>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            px={0}
            leftSection={<IconBan size={14} />}
            onClick={() => setOpen(true)}
          >
            {t('blocks.add')}
          </Button>
        </div>
      )}
      {isOpen &&
        (block ? (
          <LiftModal block={block} onClose={close} />
        ) : (
          <BlockModal number={number} onClose={close} />
        ))}
    </>
  );
}
