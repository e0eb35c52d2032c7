/** The questions of an agent: one choice answers at once, several are sent together, and free text is always possible. */
import type { AgentRequestEvent } from '@spool/render';
import { visibleTitle } from '@spool/render';
import { useState } from 'react';

type FormQuestion = Extract<AgentRequestEvent, { readonly kind: 'question.asked' }>['questions'][number];

const LABEL_CHARACTERS_MAX = 120;

interface FormProps {
  readonly questions: readonly FormQuestion[];
  readonly isDisabled: boolean;
  readonly onAnswers: (answers: Readonly<Record<string, unknown>>) => void;
}

export function QuestionForm({ questions, isDisabled, onAnswers }: FormProps) {
  const [chosen, setChosen] = useState<Readonly<Record<string, readonly string[]>>>({});
  const isSingle = questions.length === 1 && questions[0]!.multi !== true;
  const isWhole = questions.every(({ id }) => (chosen[id] ?? []).some((text) => text.trim() !== ''));
  const send = (all: typeof chosen): void =>
    onAnswers(
      Object.fromEntries(questions.map(({ id, multi }) => [id, multi === true ? (all[id] ?? []) : all[id]?.[0]])),
    );
  return (
    <form
      className="question-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) send(chosen);
      }}
    >
      {questions.map((question) => (
        <OneQuestion
          key={question.id}
          question={question}
          isDisabled={isDisabled}
          chosen={chosen[question.id] ?? []}
          onChosen={(texts, isPressed) => {
            const all = { ...chosen, [question.id]: texts };
            setChosen(all);
            if (isSingle && isPressed) send(all);
          }}
        />
      ))}
      <button type="submit" className="button" disabled={isDisabled || !isWhole}>
        Answer
      </button>
    </form>
  );
}

interface OneProps {
  readonly question: FormQuestion;
  readonly isDisabled: boolean;
  readonly chosen: readonly string[];
  readonly onChosen: (texts: readonly string[], isPressed: boolean) => void;
}

function OneQuestion({ question: { text, options, multi }, isDisabled, chosen, onChosen }: OneProps) {
  const labels = options.map(({ label }) => label);
  const own = chosen.find((each) => !labels.includes(each)) ?? '';
  const press = (label: string): void => {
    if (multi !== true) return onChosen([label], true);
    onChosen(chosen.includes(label) ? chosen.filter((each) => each !== label) : [...chosen, label], true);
  };
  return (
    <div className="answers" role="group" aria-label={visibleTitle(text, LABEL_CHARACTERS_MAX)}>
      {labels.map((label) => (
        <button
          key={label}
          type="button"
          className="button"
          aria-pressed={chosen.includes(label)}
          disabled={isDisabled}
          onClick={() => press(label)}
        >
          {visibleTitle(label, LABEL_CHARACTERS_MAX)}
        </button>
      ))}
      <input
        type="text"
        placeholder="In your own words"
        aria-label="In your own words"
        value={own}
        disabled={isDisabled}
        onChange={({ target }) => {
          const others = multi === true ? chosen.filter((each) => labels.includes(each)) : [];
          onChosen(target.value === '' ? others : [...others, target.value], false);
        }}
      />
    </div>
  );
}
