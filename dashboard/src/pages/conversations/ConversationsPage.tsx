import { useMediaQuery } from '@mantine/hooks';
import { IconMessages } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { PageHeader } from '../../components/PageHeader';
import classes from './Conversations.module.css';
import { ConversationList } from './ConversationList';
import { useNumber } from './search';
import { Thread } from './Thread';

/** The conversations beside the open one; on a narrow screen either. */
export default function ConversationsPage() {
  const { t } = useTranslation();
  const number = useNumber();
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const isThread = number !== undefined;
  return (
    <>
      {(!isNarrow || !isThread) && (
        <PageHeader title={t('conversations.title')} description={t('conversations.description')} />
      )}
      <div className={`${classes.panes} ${classes.frame}`} data-narrow={isNarrow} data-thread={isThread}>
        {(!isNarrow || !isThread) && <ConversationList chosen={number} />}
        {isThread ? <Thread key={number} number={number} isAlone={isNarrow} /> : !isNarrow && <NoneChosen />}
      </div>
    </>
  );
}

function NoneChosen() {
  const { t } = useTranslation();
  return (
    <Center className={classes.pane}>
      <Stack align="center" gap="xs" p="lg">
        <ThemeIcon size={48} radius="xl" variant="light">
          <IconMessages />
        </ThemeIcon>
        <Title order={2}>{t('conversations.choose')}</Title>
        <Text c="dimmed">{t('conversations.chooseText')}</Text>
      </Stack>
    </Center>
  );
}
