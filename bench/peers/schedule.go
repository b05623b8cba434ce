// schedule.go: what robfig/cron and rrule-go need for the questions schedule-bench.c asks.
// Prints "NAME nanoseconds", the fastest of several runs. Without modules, from Debian's packages:
// GO111MODULE=off GOPATH=/usr/share/gocode go run schedule.go
package main

import (
	"fmt"
	"time"

	"github.com/robfig/cron"
	"github.com/teambition/rrule-go"
)

const runs = 5

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func measure(name string, questions int, ask func(after time.Time) time.Time, from time.Time) {
	best := time.Duration(1 << 62)
	for i := 0; i < runs; i++ {
		at := from
		begin := time.Now()
		for q := 0; q < questions; q++ {
			next := ask(at)
			if next.IsZero() || next.Sub(from) > 10*365*24*time.Hour {
				next = from
			}
			at = next
		}
		if took := time.Since(begin); took < best {
			best = took
		}
	}
	fmt.Printf("%s %.1f\n", name, float64(best.Nanoseconds())/float64(questions))
}

func zone(name string) *time.Location {
	location, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return location
}

func benchCron(name, line, zoneName string) {
	schedule, err := cron.ParseStandard(line)
	if err != nil {
		panic(err)
	}
	measure(name, 50000, schedule.Next, start.In(zone(zoneName)))
}

func benchRule(name string, option rrule.ROption, years, questions int) {
	rule, err := rrule.NewRRule(option)
	if err != nil {
		panic(err)
	}
	next := func(after time.Time) time.Time { return rule.After(after, false) }
	measure(name, questions, next, option.Dtstart.AddDate(years, 0, 0))
}

func main() {
	benchCron("cron-daily", "30 2 * * *", "Europe/Berlin")
	benchCron("cron-weekdays", "0 9 * * 1-5", "America/New_York")
	benchCron("cron-quarters", "*/15 * * * *", "Europe/Berlin")
	daily := rrule.ROption{Freq: rrule.DAILY, Byhour: []int{9}, Byminute: []int{0},
		Bysecond: []int{0}, Dtstart: start.In(zone("Europe/Berlin"))}
	weekly := rrule.ROption{Freq: rrule.WEEKLY, Interval: 2,
		Byweekday: []rrule.Weekday{rrule.MO, rrule.WE, rrule.FR},
		Dtstart:   start.In(zone("America/New_York"))}
	// Each question counts from DTSTART again, so a row of them soon is not near any more.
	benchRule("rrule-daily-near", daily, 0, 10)
	benchRule("rrule-daily-far", daily, 10, 10)
	benchRule("rrule-weekly-near", weekly, 0, 10)
	benchRule("rrule-weekly-far", weekly, 10, 10)
}
