package measure

import "runtime"

// Titled are the results of one situation.
type Titled struct {
	Title   string
	Results Results
}

// Each runs every situation by one worker and, at full length, by as many as there
// are processors. serial has the results of one worker by the title.
func Each[S any](p Pace, situations []S, title func(S) string, run func(S, Pace, int) (Results, error)) (all []Titled, serial map[string]Results, err error) {
	serial = map[string]Results{}
	for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
		if workers > 1 && !p.Full {
			break
		}
		for _, s := range situations {
			results, err := run(s, p, workers)
			if err != nil {
				return nil, nil, err
			}
			name := title(s)
			if workers > 1 {
				name += ", parallel"
			} else {
				serial[name] = results
			}
			all = append(all, Titled{name, results})
		}
	}
	return all, serial, nil
}
