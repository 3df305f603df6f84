-- In which window names came so far of which a mail is due. Null: none is due, or an accounts of the release before noted it.
ALTER TABLE "budget_name_mail" ADD COLUMN "window_start" TIMESTAMPTZ(3);
